import test from 'ava';
import { createAccountChecks } from '../../../../src/ca/authentication/accounts/account-checks.js';
import { createAccountDirectory, FIRST_LIST_MS } from '../../../../src/ca/authentication/accounts/account-directory.js';
import type { ListWatcher, WatchedList } from '../../../../src/kubernetes/watch/list-watcher.js';
import { createFakeClock } from '../../../support/fake-clock.js';

const CART = { trustDomain: 'cluster.local', namespace: 'shop', serviceAccount: 'cart' };
const LIMIT_MS = 60_000;
const account = (name: string) => ({ metadata: { name, namespace: 'shop', resourceVersion: '1' } });

/** What the watch of one cluster brings, given by the test. */
function createWatch() {
  let watched: WatchedList | undefined;
  let isStopped = false;
  const watcher: ListWatcher = {
    watch: (list) => {
      watched = list;
    },
    stop: async () => {
      isStopped = true;
    },
  };
  return {
    watcher,
    isStopped: () => isStopped,
    list: (...names: string[]) => {
      const replacement = watched?.sink.replace();
      replacement?.add(names.map(account));
      replacement?.commit();
    },
    event: (type: 'ADDED' | 'DELETED', name: string) => watched?.sink.apply([{ type, object: account(name) }]),
    fails: () => watched?.onState?.({ type: 'failing', err: new Error('no route') }),
    works: () => watched?.onState?.({ type: 'synced' }),
  };
}

function create() {
  const clock = createFakeClock();
  const directory = createAccountDirectory({ outageLimitMs: LIMIT_MS, clock });
  const own = createWatch();
  directory.add('own', own.watcher);
  return { clock, directory, own };
}

test('an account is unknown before the first list, then present or gone', (t) => {
  const { directory, own } = create();
  t.is(directory.judge(CART), 'unknown');
  own.list('cart');
  t.is(directory.judge(CART), 'present');
  own.event('DELETED', 'cart');
  t.is(directory.judge(CART), 'gone');
  own.event('ADDED', 'cart');
  t.is(directory.judge(CART), 'present');
});

test('listeners are called once when their account is deleted, by an event or by a list without it', (t) => {
  for (const remove of ['event', 'list']) {
    const { directory, own } = create();
    own.list('cart', 'web');
    const told: string[] = [];
    directory.onGone(CART, () => told.push('cart'));
    directory.onGone({ ...CART, serviceAccount: 'web' }, () => told.push('web'));
    directory.onGone(CART, () => told.push('ended'))();
    if (remove === 'event') own.event('DELETED', 'cart');
    else own.list('web');
    own.list('web');
    t.deepEqual(told, ['cart'], remove);
  }
});

test('an account of another cluster counts, until that cluster is no longer read', (t) => {
  const { directory, own } = create();
  const west = createWatch();
  directory.add('west', west.watcher);
  own.list();
  t.is(directory.judge(CART), 'unknown', 'west may have it');
  west.list('cart');
  let told = 0;
  directory.onGone(CART, () => {
    told++;
  });
  t.is(directory.judge(CART), 'present');
  directory.remove('west');
  t.is(directory.judge(CART), 'gone');
  t.is(told, 1);
  t.true(west.isStopped());
});

test('in an outage the last list counts for the limit, and no longer', (t) => {
  const { directory, own, clock } = create();
  own.list('cart');
  own.fails();
  clock.advance(LIMIT_MS);
  own.fails();
  t.is(directory.judge(CART), 'present');
  t.is(directory.judge({ ...CART, serviceAccount: 'web' }), 'unknown', 'it may have been created meanwhile');
  clock.advance(1);
  t.is(directory.judge(CART), 'stale');
  own.works();
  t.is(directory.judge(CART), 'present');
  t.is(directory.judge({ ...CART, serviceAccount: 'web' }), 'gone');
});

test('a caller with a certificate waits for the first list, and no longer than its limit', async (t) => {
  const { directory, own, clock } = create();
  const checks = createAccountChecks(directory, (trustDomain) => trustDomain === 'cluster.local');
  const early = checks.mustExist(CART);
  own.list('cart');
  await t.notThrowsAsync(early);

  const silent = create();
  const late = createAccountChecks(silent.directory, () => true).mustExist(CART);
  silent.clock.advance(FIRST_LIST_MS);
  await t.throwsAsync(late, { name: 'AuthenticationError', message: /right to list and watch serviceaccounts/ });
  t.is(clock.timers + silent.clock.timers, 0);
});

test('errors say whether a retry can help; accounts of other trust domains are not checked', async (t) => {
  const { directory, own, clock } = create();
  const checks = createAccountChecks(directory, (trustDomain) => trustDomain === 'cluster.local');
  own.list('web');
  const gone = await t.throwsAsync(checks.mustExist(CART), { message: /sa\/cart does not exist$/ });
  t.like(gone, { isTemporary: false });
  t.throws(() => checks.mustNotBeGone(CART), { message: /does not exist/ });
  own.event('ADDED', 'cart');
  own.fails();
  clock.advance(LIMIT_MS + 1);
  const stale = t.throws(() => checks.mustNotBeGone(CART), { message: /NAV_ACCOUNT_OUTAGE_LIMIT/ });
  t.like(stale, { isTemporary: true });
  // A token proved this caller when its stream began; its stream is looked at again.
  t.notThrows(() => checks.mustNotBeGone({ ...CART, serviceAccount: 'new' }));
  const foreign = { ...CART, trustDomain: 'partner.example' };
  await t.notThrowsAsync(checks.mustExist(foreign));
  t.notThrows(() => checks.mustNotBeGone(foreign));
});
