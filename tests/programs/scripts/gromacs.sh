#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# 216 molecules of water for two hundred steps, with two threads.
set -e
trap 'tail -n 8 ./mdrun.log >&2' ERR
cat >in.mdp <<'END'
integrator = md
nsteps = 200
dt = 0.002
coulombtype = PME
rcoulomb = 0.9
rvdw = 0.9
gen-vel = yes
gen-temp = 300
gen-seed = 7
nstenergy = 100
nstcalcenergy = 100
END
cat >in.top <<'END'
#include "oplsaa.ff/forcefield.itp"
#include "oplsaa.ff/spce.itp"
[ system ]
water
[ molecules ]
SOL 216
END
gmx -quiet grompp -f in.mdp -p in.top -c /usr/share/gromacs/top/spc216.gro -o in.tpr -maxwarn 5 >grompp.log 2>&1
gmx -quiet mdrun -s in.tpr -deffnm out -ntmpi 1 -ntomp 2 -pin off -reprod >mdrun.log 2>&1
grep -A3 'Energies (kJ/mol)' out.log | tail -2
rm -f ./*.log
