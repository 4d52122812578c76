"""What tests share: a scripted editor at the other end of a real server process."""
