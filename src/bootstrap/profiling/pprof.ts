import {
  type Label,
  Line,
  Location,
  Function as PprofFunction,
  Profile,
  Sample,
  StringTable,
  ValueType,
} from 'pprof-format';

/** One stack with its values. */
export interface StackSample {
  /** The innermost frame first. */
  readonly frames: readonly Frame[];
  /** One for each value type of the profile. */
  readonly values: readonly number[];
}

export interface Frame {
  readonly name: string;
  readonly file: string;
  /** From 1. */
  readonly line: number;
}

export interface ProfileContent {
  readonly types: readonly { readonly type: string; readonly unit: string }[];
  /** Type and unit of `period`. */
  readonly periodType: { readonly type: string; readonly unit: string };
  readonly period: number;
  readonly at: Date;
  readonly durationMs: number;
  readonly samples: Iterable<StackSample>;
}

/** Encodes a profile in the protobuf format that `go tool pprof` reads, not compressed. */
export function encodeProfile({ types, periodType, period, at, durationMs, samples }: ProfileContent): Uint8Array {
  const stringTable = new StringTable();
  const valueType = ({ type, unit }: { type: string; unit: string }): ValueType =>
    new ValueType({ type: stringTable.dedup(type), unit: stringTable.dedup(unit) });
  const functions = new Map<string, PprofFunction>();
  const locations = new Map<string, Location>();
  const locate = ({ name, file, line }: Frame): number => {
    const functionKey = `${file}\n${name}`;
    let of = functions.get(functionKey);
    if (of === undefined) {
      const [nameIndex, filename] = [stringTable.dedup(name), stringTable.dedup(file)];
      of = new PprofFunction({ id: functions.size + 1, name: nameIndex, systemName: nameIndex, filename });
      functions.set(functionKey, of);
    }
    const key = `${functionKey}\n${line}`;
    let location = locations.get(key);
    if (location === undefined) {
      location = new Location({ id: locations.size + 1, line: [new Line({ functionId: of.id, line })] });
      locations.set(key, location);
    }
    return Number(location.id);
  };
  const sample = Array.from(
    samples,
    ({ frames, values }) => new Sample({ locationId: frames.map(locate), value: [...values], label: [] as Label[] }),
  );
  return new Profile({
    stringTable,
    sampleType: types.map(valueType),
    sample,
    location: [...locations.values()],
    function: [...functions.values()],
    timeNanos: BigInt(at.getTime()) * 1_000_000n,
    durationNanos: BigInt(Math.round(durationMs)) * 1_000_000n,
    periodType: valueType(periodType),
    period,
  }).encode();
}
