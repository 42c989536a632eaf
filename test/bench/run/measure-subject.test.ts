import test from 'ava';
import { Fleet } from '../../../bench/client/fleet.js';
import { buildSidecarIdentities } from '../../../bench/client/sidecar-identity.js';
import { buildEndpointChanges, buildServiceChanges, type ServiceChange } from '../../../bench/mesh/mesh-change.js';
import { buildMeshServices } from '../../../bench/mesh/mesh-shape.js';
import { measureSubject } from '../../../bench/run/measure-subject.js';
import { planSteps } from '../../../bench/run/run-plan.js';
import { startFloorProcess } from '../../../bench/subject/floor-process.js';
import { OwnedProcesses } from '../../../bench/subject/owned-process.js';
import { isWarmUp, type Step, type Subject } from '../../../bench/subject/subject.js';
import { type FakeAdsServer, startFakeAdsServer } from './fake-ads-server.js';

const CLIENTS = 5;
const SERVICES = buildMeshServices({ services: 20, endpointsPerService: 2, namespaces: 2 });

function asSubject(server: FakeAdsServer): Subject {
  let prepared: Step | undefined;
  return {
    address: server.address,
    pid: undefined,
    readyMs: undefined,
    failed: new Promise<never>(() => {}),
    prepare: async (step) => {
      prepared = step;
    },
    trigger: async () => {
      if (prepared !== undefined && 'change' in prepared) server.change((prepared.change as ServiceChange).to);
    },
    stop: async () => {},
  };
}

test('the floor sends the clients what the server sent, in every phase', async (t) => {
  const server = await startFakeAdsServer(SERVICES);
  const fleet = new Fleet(buildSidecarIdentities(SERVICES, CLIENTS), 2);
  const processes = new OwnedProcesses();
  t.teardown(async () => {
    server.stop();
    await fleet.stop();
    await processes.endAll();
  });
  const steps = planSteps(['first-sync', 'endpoint', 'service'], 2, {
    endpoint: buildEndpointChanges(SERVICES, 3),
    service: buildServiceChanges(SERVICES, 2),
  });
  const common = { fleet, steps, timeoutMs: 60_000, progress: () => {} };

  const measured = await measureSubject({ ...common, label: 'server', start: async () => asSubject(server) });
  const recordings = new Map(measured.steps.map(({ step, recording }) => [step, recording]));
  const floor = await measureSubject({
    ...common,
    label: 'floor',
    start: () => startFloorProcess(processes, (step) => recordings.get(step) ?? { clients: [], templates: [] }),
  });

  t.is(measured.steps.length, 7);
  t.deepEqual(steps.map(isWarmUp), [false, false, true, false, false, false, false]);
  t.true(measured.steps.every(({ clientMs }) => clientMs.length === CLIENTS && clientMs.every((ms) => ms > 0)));
  t.true(measured.steps.every(({ receivedBytes }) => receivedBytes > 0));
  t.deepEqual(
    floor.steps.map(({ recording }) => recording.clients),
    measured.steps.map(({ recording }) => recording.clients),
  );
  t.true(floor.steps.every(({ cpuSeconds }) => cpuSeconds !== undefined && cpuSeconds >= 0));
});
