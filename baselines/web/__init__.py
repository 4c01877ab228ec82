"""The board in the browser: tables at which persons and agents play, and the page that shows them."""
