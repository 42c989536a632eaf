import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import type { MeshObject } from '../../../src/config/object.js';
import { ownFailPolicyOf } from '../../../src/model/policy/own-fail-policy.js';
import type { PushContext } from '../../../src/model/push-context.js';
import { analysisInputOf, canDiffer } from '../../../src/status/analysis/analysis-input.js';
import type { AnalysisMessage } from '../../../src/status/analysis/analysis-message.js';
import { analyze } from '../../../src/status/analysis/analyze.js';
import { createInjectionNames } from '../../../src/webhooks/injection/annotation-names.js';
import { InjectionError } from '../../../src/webhooks/injection/injection-error.js';
import { projectRoot } from '../../counterparts/project-root.js';
import { batch, otherObject, service, serviceEntry, snapshot, storeWith } from '../../model/mesh-objects.js';
import { decide, podOf } from '../../webhooks/injection/support/injection.js';
import { ENFORCEMENT } from './support.js';

const WRONG = '§ wrong §';

/** The annotations of docs/annotations.md by the title of their table, with the documented effect of a wrong value. */
function documented(): ReadonlyMap<string, ReadonlyMap<string, string>> {
  const tables = new Map<string, Map<string, string>>();
  let table = new Map<string, string>();
  for (const line of readFileSync(join(projectRoot(), 'docs/annotations.md'), 'utf8').split('\n')) {
    if (line.startsWith('## ')) {
      table = new Map();
      tables.set(line.slice(3), table);
    }
    const cells = line.split('|').map((cell) => cell.trim());
    const name = /^`(.+\/.+)`$/.exec(cells[1] ?? '')?.[1];
    if (name !== undefined) table.set(name, cells.at(-2) ?? '');
  }
  return tables;
}

const TABLES = documented();
const of = (title: string): ReadonlyMap<string, string> => TABLES.get(title) ?? new Map();

/** Objects whose annotations the control plane reads while they exist. */
const KINDS: Readonly<
  Record<
    string,
    {
      readonly names: readonly string[];
      readonly build: (annotations: Readonly<Record<string, string>>) => MeshObject;
      readonly key: string;
    }
  >
> = {
  Service: {
    names: [...of('Service').keys(), ...of('Service and ServiceEntry').keys()],
    build: (annotations) => service('shop/web', {}, { annotations }),
    key: 'Service/shop/web',
  },
  ServiceEntry: {
    names: [...of('Service and ServiceEntry').keys()],
    build: (annotations) => serviceEntry('shop/api', { hosts: ['api.example.com'] }, { annotations }),
    key: 'ServiceEntry/shop/api',
  },
  Namespace: {
    names: [...of('Namespace').keys()],
    build: (annotations) => otherObject('Namespace', '/shop', { annotations }),
    key: 'Namespace//shop',
  },
};

const GOOD: Readonly<Record<string, string>> = {
  'networking.mesh.internal/exportTo': '.,cart',
  'policy.mesh.internal/failPolicy': 'FAIL_CLOSE',
  'policy.mesh.internal/maxRetry': '3',
  'policy.mesh.internal/baseRetryWait': '20ms',
  'policy.mesh.internal/maxRetryWait': '2s',
  'policy.mesh.internal/bindings-from': 'billing',
};

/** The snapshots of a mesh that starts with the first object and then gets the others. */
function snapshots(objects: readonly MeshObject[]): readonly PushContext[] {
  const store = storeWith();
  let last: PushContext | undefined;
  return objects.map((object) => {
    store.apply(batch(object));
    last = snapshot(store, last);
    return last;
  });
}

const complaints = (context: PushContext): readonly AnalysisMessage[] =>
  analyze(analysisInputOf(context, ENFORCEMENT)).filter(({ code }) => code === 'MESH0125' || code === 'MESH0108');

/** The protection by the annotations: foreign objects stay invisible, and limits apply. */
function assertNothingIsOff(t: ExecutionContext, context: PushContext, name: string): void {
  const found = context.services[0];
  if (name.endsWith('/failPolicy')) {
    t.is(found && ownFailPolicyOf(found, { policyCheckFailOpen: true })?.policy, 'FAIL_CLOSE');
  }
  if (name.endsWith('/exportTo')) {
    t.is(context.viewOf('other').services.length, 0, 'not shown to others');
    t.is(context.viewOf('shop').services.length, 1, 'still shown to its own namespace');
  }
  if (found !== undefined && name.includes('etry')) t.is(found.failPolicy, undefined, 'the default holds');
  t.deepEqual(
    [...(context.bindingGrants.byNamespace.get('shop') ?? [])].filter((item) => item === '*'),
    [],
  );
}

for (const [kind, { names, build, key }] of Object.entries(KINDS)) {
  for (const name of names) {
    test(`a wrong ${name} of a ${kind} is named with its remedy, and turns nothing off`, (t) => {
      const good = GOOD[name];
      t.not(good, undefined, 'the test has no value that is right');
      const [atStart, right, running] = snapshots([
        build({ [name]: WRONG }),
        build({ [name]: good ?? '' }),
        build({ [name]: WRONG }),
      ]) as [PushContext, PushContext, PushContext];
      t.deepEqual(complaints(right), []);
      t.true(canDiffer(right, running), 'analysis runs again');
      for (const context of [atStart, running]) {
        const [message, ...more] = complaints(context);
        t.deepEqual(more, []);
        t.like(message, { code: 'MESH0125', object: key, field: `metadata.annotations[${name}]` });
        t.true(message?.message.startsWith(JSON.stringify(WRONG)), message?.message);
        t.regex(message?.message ?? '', /: use /);
        assertNothingIsOff(t, context, name);
      }
    });
  }

  for (const name of names.filter((each) => each.startsWith('policy.'))) {
    test(`${name} with a missing letter on a ${kind} is named with the right name`, (t) => {
      const misspelt = name.slice(0, -1);
      const [context] = snapshots([build({ [misspelt]: GOOD[name] ?? '' })]) as [PushContext];
      t.like(complaints(context)[0], { code: 'MESH0108', object: key, field: `metadata.annotations[${misspelt}]` });
      t.true(complaints(context)[0]?.message.includes(`did you mean ${name}?`), complaints(context)[0]?.message);
    });
  }
}

for (const [name, effect] of of('Pod')) {
  test(`a wrong ${name} of a pod has the documented effect, and is named`, (t) => {
    const pod = podOf({ annotations: { [name]: WRONG } });
    if (effect === 'the pod is refused') {
      const error = t.throws(() => decide(pod), { instanceOf: InjectionError });
      t.true(error?.message.startsWith(`invalid value '${WRONG}' for annotation '${name}': `), error?.message);
      t.true((error?.message.length ?? 0) > `invalid value '${WRONG}' for annotation '${name}': `.length + 5);
      return;
    }
    const decision = decide(pod);
    if (name.endsWith('/inject')) t.true(decision.type === 'skip' && decision.warnings?.[0]?.includes(name));
    else t.is(decision.type, 'inject');
  });
}

test('docs/annotations.md lists every annotation of pods that injection reads', (t) => {
  const { labels: _, ...names } = createInjectionNames('mesh.internal');
  for (const name of Object.values(names)) t.true(of('Pod').has(name), name);
});
