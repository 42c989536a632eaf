import { ConnectionGroup } from './connections/connection-group.js';
import type { ConnectionCommand } from './connections/connection-protocol.js';

/** How often the bench hears how far the connections are; times are taken here, so this costs no accuracy. */
const REPORT_INTERVAL_MS = 200;

const group = new ConnectionGroup();
const report = () => process.send?.(group.report());

process.on('message', (command: ConnectionCommand) => {
  if (command.kind === 'open') group.open(command);
  else group.expect(command.marker);
  report();
});
process.on('disconnect', () => process.exit());
setInterval(report, REPORT_INTERVAL_MS);
