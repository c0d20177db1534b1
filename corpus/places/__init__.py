"""Places in documents: those that a query names ("figure 3", "Seite 12"), and those at which a block is."""

from corpus.places.blocks import places_of
from corpus.places.place import Kind, Place
from corpus.places.query import PlaceQuery, places_in

__all__ = ["Kind", "Place", "PlaceQuery", "places_in", "places_of"]
