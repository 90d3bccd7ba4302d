"""The page of the dashboard, made of the rooms."""
