"""What can be done, as data: actions that keys and the menu bar name, and what a right click offers. In: the editor.
Out: entries, each with its words, its action, and why it cannot be."""
