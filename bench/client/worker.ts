import { parentPort } from 'node:worker_threads';
import { SidecarGroup } from './sidecar-group.js';
import type { WorkerCommand, WorkerReport } from './worker-protocol.js';

/** How often the fleet hears how far the clients are; times are taken here, so this costs no accuracy. */
const PROGRESS_INTERVAL_MS = 50;

const port = parentPort;
if (port === null) throw new Error('bench/client/worker.js runs as a worker thread of the bench.');

let group: SidecarGroup | undefined;
let timer: NodeJS.Timeout | undefined;
const report = (message: WorkerReport) => port.postMessage(message);

port.on('message', (command: WorkerCommand) => {
  switch (command.kind) {
    case 'arm': {
      const fail = (message: string) => report({ kind: 'failed', message });
      const armed = new SidecarGroup(command.target, command.clients, fail, command.variant);
      group = armed;
      timer = setInterval(() => report(armed.progress()), PROGRESS_INTERVAL_MS);
      report({ kind: 'done' });
      break;
    }
    case 'begin':
      group?.begin(command.expectation);
      report({ kind: 'done' });
      break;
    case 'go':
      group?.go();
      report({ kind: 'done' });
      break;
    case 'reconnect':
      void group?.reconnect();
      report({ kind: 'done' });
      break;
    case 'collect':
      report({ kind: 'done', ...(group === undefined ? {} : { result: group.collect() }) });
      break;
    case 'disarm':
      clearInterval(timer);
      group?.close();
      group = undefined;
      report({ kind: 'done' });
      break;
  }
});
