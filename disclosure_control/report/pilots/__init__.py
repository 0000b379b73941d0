"""All pilots of a data folder side by side, from what their last runs published."""
