"""Places in documents, such as "figure 3" or "Seite 12": the places in a query, and the places of a block."""

from corpus.places.place import Kind, Place
from corpus.places.places_in_query import PlaceQuery, places_in
from corpus.places.places_of_block import places_of

__all__ = ["Kind", "Place", "PlaceQuery", "places_in", "places_of"]
