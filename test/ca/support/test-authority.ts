import type { Clock } from '../../../src/base/clock.js';
import { createLocalAuthority, type LocalAuthority } from '../../../src/ca/authority/local-authority.js';
import { DAY_MS, materialOf, selfSigned } from './material.js';

/** An authority with a root of an EC key; certificates last a day. */
export async function createTestAuthority(clock: Clock): Promise<LocalAuthority> {
  const authority = createLocalAuthority({ clock, ttls: { defaultMs: DAY_MS, maxMs: 90 * DAY_MS } });
  authority.replace(materialOf(await selfSigned({ now: clock.now() })));
  return authority;
}
