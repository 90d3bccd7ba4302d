"""What compiled code is made of: the decorator, 64-bit words, bit planes of weights, a heap, arrays that grow."""
