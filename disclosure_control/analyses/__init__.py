"""The analyses of four documents, each whole in its folder, named as its config key; nothing imports them."""
