# SPDX-License-Identifier: BSD-3-Clause
export GIT_AUTHOR_DATE='2020-01-01T00:00:00Z' GIT_COMMITTER_DATE='2020-01-01T00:00:00Z' GIT_PAGER=cat
export GIT_AUTHOR_NAME=me GIT_AUTHOR_EMAIL=me@x GIT_COMMITTER_NAME=me GIT_COMMITTER_EMAIL=me@x
git -c init.defaultBranch=main init -q a && cd a || exit
for i in $(seq 15); do seq $i $((i * 200)) >file$i; git add . && git commit -q -m "commit $i"; done
git log --oneline | tail -2; git diff --stat HEAD~3 | tail -1; git gc -q; git fsck --no-progress; git count-objects
cd .. && git clone -q a b && git -C b log -1 --format=%H; git -C b grep -c 77 | tail -2
git -C b checkout -q -b side HEAD~5 && git -C b merge -q main && git -C b status --short --branch
git -C b bundle create -q ../bundle main; git -C b bundle verify -q ../bundle; echo $?; git -C b no-such-command; echo $?
rm -rf a b bundle
