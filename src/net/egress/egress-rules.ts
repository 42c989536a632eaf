import ipaddr from 'ipaddr.js';

/**
 * Says which addresses may be fetched from when somebody else names them (docs/security.md#what-navigator-guarantees).
 */
export interface EgressRules {
  /** Why not; undefined when it may. */
  refusalOf(address: string): string | undefined;
}

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Range = [Address, number];

/** Where clouds tell machines their secrets, beside 169.254.169.254, which is link-local. */
const METADATA: readonly string[] = [
  'fd00:ec2::254',
  'fd20:ce::254',
  '100.100.100.200',
  '168.63.129.16',
  '192.0.0.192',
];

/** What no name of another machine means; private networks are where meshes live, and allowed. */
const REFUSED_KINDS: Readonly<Record<string, string>> = {
  loopback: 'is of this machine itself',
  linkLocal: 'is link-local',
  unspecified: 'is of this machine itself',
  broadcast: 'is a broadcast address',
  multicast: 'is a multicast address',
  reserved: 'is reserved',
  teredo: 'is that of a tunnel',
};

/**
 * @param allowed addresses and CIDRs that may be fetched from although they are refused otherwise
 * @throws Error for what is neither
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
