"""The exact solver: relaxations by HiGHS, enumeration, and branch and bound."""
