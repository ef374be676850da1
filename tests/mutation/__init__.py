"""Changes single lines of the code, and lists the changes that no test notices; `make mutants`.

Cosmic Ray makes the changes. They are applied here, in a copy of the test process that has loaded everything already:
nothing is written to a file, and a change costs the time of its tests alone. Decorated functions and statements of
modules, where the store has its rules, are changed as well.
"""
