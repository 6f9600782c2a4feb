"""The exact neighbour engine: blocks of distances, shards that merge, a proven bound where features are projected."""
