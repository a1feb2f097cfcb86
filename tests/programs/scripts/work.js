// SPDX-License-Identifier: BSD-3-Clause
const { Worker, isMainThread, parentPort, workerData } = require('worker_threads');
const { execFileSync, spawnSync } = require('child_process');
const crypto = require('crypto'), zlib = require('zlib'), fs = require('fs');

function hash(n) {
	let s = 0;
	for (let i = 0; i < n; i++) s = (s * 31 + i * i) % 1000003;
	return s;
}

if (!isMainThread) {
	parentPort.postMessage(hash(workerData));
} else {
	const jobs = [1, 2, 3, 4].map(i => new Promise((resolve, reject) => {
		const worker = new Worker(__filename, { workerData: i * 1000000 });
		worker.on('message', resolve);
		worker.on('error', reject);
	}));
	Promise.all(jobs).then(results => {
		console.log(results.join(' '));
		console.log(crypto.pbkdf2Sync('secret', 'salt', 20000, 32, 'sha256').toString('hex'));
		console.log(zlib.gunzipSync(zlib.gzipSync(Buffer.alloc(1 << 20, 'abc'))).length);
		console.log(String(execFileSync('seq', ['1', '5'])).trim().split('\n').length);
		console.log(spawnSync('sh', ['-c', 'kill -9 $$']).signal, fs.openSync('/dev/null') > 0);
		process.on('SIGUSR2', () => { console.log('USR2'); process.exit(21); });
		setTimeout(() => process.kill(process.pid, 'SIGUSR2'), 50);
		setTimeout(() => console.log('late'), 20000);
	});
}
