"""For the person who keeps an index: look whether it is whole, make derived parts anew, carry it elsewhere."""
