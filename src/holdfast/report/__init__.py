"""What Holdfast shows people; reads results, computes nothing."""
