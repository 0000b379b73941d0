"""The page's drawings as SVG, and figures as files by matplotlib."""
