apply_patch <<X
*** Begin Patch
*** Update File: tea.py
@@
-POUR = 2
+POUR = 9
*** End Patch
X
