import ipaddr from 'ipaddr.js';

/**
 * Decides which addresses the control plane may fetch from when the URL comes from another party
 * (docs/security.md#what-navigator-guarantees).
 */
export interface EgressRules {
  /** Why the address is not allowed; undefined if it is allowed. */
  refusalOf(address: string): string | undefined;
}

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Range = [Address, number];

/** Metadata services of clouds, beside 169.254.169.254, which is link-local. */
const METADATA: readonly string[] = [
  'fd00:ec2::254',
  'fd20:ce::254',
  '100.100.100.200',
  '168.63.129.16',
  '192.0.0.192',
];

/** Ranges that no other machine of the mesh has. Private networks are allowed, because meshes use them. */
const REFUSED_KINDS: Readonly<Record<string, string>> = {
  loopback: 'is an address of this machine',
  linkLocal: 'is link-local',
  unspecified: 'is an address of this machine',
  broadcast: 'is a broadcast address',
  multicast: 'is a multicast address',
  reserved: 'is reserved',
  teredo: 'is a tunnel address',
};

/**
 * @param allowed addresses and CIDR ranges that are allowed even if they are in a refused range
 * @throws Error for other text
 */
export function createEgressRules(allowed: readonly string[] = []): EgressRules {
  const exceptions = allowed.map(parseRange);
  return {
    refusalOf: (text) => {
      if (!ipaddr.isValid(text) || text.includes('%')) return `${text} is not an address of another machine`;
      const address = ipaddr.parse(text);
      for (const form of [address, ...embedded(address)]) {
        if (exceptions.some((range) => contains(range, form))) continue;
        const why = METADATA.includes(form.toString()) ? 'is a metadata service' : REFUSED_KINDS[form.range()];
        if (why !== undefined) return `${text} ${why}`;
      }
      return undefined;
    },
  };
}

function parseRange(text: string): Range {
  try {
    return text.includes('/') ? ipaddr.parseCIDR(text) : [ipaddr.parse(text), text.includes(':') ? 128 : 32];
  } catch (cause) {
    throw new Error(`${JSON.stringify(text)} is neither an IP address nor a CIDR`, { cause });
  }
}

function contains([network, bits]: Range, address: Address): boolean {
  return address.kind() === network.kind() && address.match(network, bits);
}

/** IPv4 addresses that an IPv6 address may lead to: mapped, translated (RFC 6052, 6145), 6to4. */
function embedded(address: Address): readonly ipaddr.IPv4[] {
  if (!(address instanceof ipaddr.IPv6)) return [];
  const bytes = address.toByteArray();
  const at = (start: number): ipaddr.IPv4[] => [new ipaddr.IPv4(bytes.slice(start, start + 4))];
  switch (address.range()) {
    case 'ipv4Mapped':
    case 'rfc6145':
    case 'rfc6052':
      return at(12);
    case '6to4':
      return at(2);
    default:
      return bytes.slice(0, 12).every((byte) => byte === 0) && address.range() === 'unicast' ? at(12) : [];
  }
}
