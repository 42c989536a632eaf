import test from 'ava';
import { createFairShedding, type FairShedding } from '../../../src/policy/server/fair-shedding.js';

function ask(fair: FairShedding, demands: Readonly<Record<string, number>>): Readonly<Record<string, number>> {
  const chances: Record<string, number> = {};
  for (const [peer, checks] of Object.entries(demands)) {
    for (let check = 0; check < checks; check++) chances[peer] = fair.chanceOf(peer);
  }
  return chances;
}

test('a peer that sends little loses no check while another sends nearly all', (t) => {
  const fair = createFairShedding();
  const demands = { flood: 970, web: 20, books: 10 };
  t.deepEqual(ask(fair, demands), { flood: 0, web: 0, books: 0 });
  fair.next(0.6);
  const { flood = 0, web, books } = ask(fair, demands);
  t.deepEqual([web, books], [0, 0]);
  t.true(Math.abs(flood * 970 - 600) < 1);
});

test('peers that send the same are shed the same', (t) => {
  const fair = createFairShedding();
  const demands = { a: 100, b: 100, c: 100 };
  ask(fair, demands);
  fair.next(0.5);
  t.deepEqual(ask(fair, demands), { a: 0.5, b: 0.5, c: 0.5 });
});

test('of several that send much, each keeps as much as the others', (t) => {
  const fair = createFairShedding();
  const demands = { a: 400, b: 200, c: 10 };
  ask(fair, demands);
  fair.next(0.5);
  const { a = 0, b = 0, c } = ask(fair, demands);
  t.is(c, 0);
  t.true(Math.abs(400 * (1 - a) - 200 * (1 - b)) < 1e-9);
  t.true(Math.abs(400 * a + 200 * b - 305) < 1e-9);
});

test('a new peer is not shed, and no check is shed without a share', (t) => {
  const fair = createFairShedding();
  ask(fair, { a: 100 });
  fair.next(0.5);
  t.is(fair.chanceOf('new'), 0);
  ask(fair, { a: 100 });
  fair.next(0);
  t.is(fair.chanceOf('a'), 0);
});

test('a period without a flood does not cause quiet peers to be shed', (t) => {
  const fair = createFairShedding();
  ask(fair, { flood: 500, web: 2 });
  fair.next(0.6);
  ask(fair, { web: 2 });
  fair.next(0.6);
  t.is(ask(fair, { web: 2 })['web'], 0);
  t.true((ask(fair, { flood: 100 })['flood'] ?? 0) > 0.5);
});

test('peers above the limit share one count', (t) => {
  const fair = createFairShedding();
  for (let peer = 0; peer < 20_000; peer++) fair.chanceOf(`peer-${peer}`);
  for (let peer = 20_000; peer < 40_000; peer++) fair.chanceOf(`peer-${peer}`);
  fair.next(0.4);
  t.is(fair.chanceOf('peer-7'), 0);
});
