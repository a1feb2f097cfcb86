// SPDX-License-Identifier: BSD-3-Clause
/* Waits for the thread that a library started before the program began. */
void early_wait(void);

int main(void)
{
	early_wait();
	return 0;
}
