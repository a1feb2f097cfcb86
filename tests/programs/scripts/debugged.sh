# SPDX-License-Identifier: BSD-3-Clause
# A Python program under its debugger, which stops it, looks at its stack and goes on, and under coverage.
set -e
cat >climb.py <<'END'
def climb(n):
    if n < 2:
        return 1
    return climb(n - 1) + climb(n - 2)


def unused():
    return 0


print(climb(20))
END
printf '%s\n' 'break climb' continue where 'print(n)' step next up 'print(n)' down clear yes continue quit |
	/usr/bin/python3 -m pdb climb.py
python3-coverage run --branch climb.py
python3-coverage report -m
rm -rf .coverage __pycache__
