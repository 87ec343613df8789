"""What comes from outside, and makes no sense: answered clearly, and the next message is answered too."""
