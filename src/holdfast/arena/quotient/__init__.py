"""Safe play without what makes no difference: alike values are one, interchangeable variables are sorted."""
