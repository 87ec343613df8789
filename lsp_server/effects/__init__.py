"""What runs after an edit is known to have happened; none of it can undo the edit."""
