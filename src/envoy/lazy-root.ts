import protobuf from 'protobufjs';

/** JSON of protobufjs by the full name of an outermost message or enum; names of types in it are absolute. */
export type Descriptors = Readonly<Record<string, object>>;

type Described = protobuf.Type | protobuf.Enum;

/**
 * A root that makes message types when they are first asked for. The types of a message's fields are made when the
 * message is first encoded or decoded, so a start pays for the messages that it uses and not for all of Envoy's.
 */
export class LazyRoot extends protobuf.Root {
  readonly #descriptors: Descriptors;

  constructor(descriptors: Descriptors) {
    super();
    this.#descriptors = descriptors;
  }

  /** Finds messages and enums by full name only: the library asks for the types of fields in this way. */
  override lookup(
    path: string | string[],
    filter?: boolean | protobuf.ReflectionObject | unknown[],
  ): protobuf.ReflectionObject | null {
    const names = typeof path === 'string' ? path.split('.') : path;
    const found = this.#find(names[0] === '' ? names.slice(1) : names);
    if (found === null || filter === undefined || typeof filter === 'boolean') return found;
    const constructors: readonly unknown[] = Array.isArray(filter) ? filter : [filter];
    return constructors.includes(found.constructor) ? found : null;
  }

  #find(names: readonly string[]): Described | null {
    for (let length = names.length; length > 0; length--) {
      const name = names.slice(0, length).join('.');
      if (!Object.hasOwn(this.#descriptors, name)) continue;
      let found: protobuf.ReflectionObject | null = this.#outermost(
        names.slice(0, length),
        this.#descriptors[name] ?? {},
      );
      for (const inner of names.slice(length)) {
        found = found instanceof protobuf.Type ? found.get(inner) : null;
      }
      return found instanceof protobuf.Type || found instanceof protobuf.Enum ? found : null;
    }
    return null;
  }

  #outermost(names: readonly string[], descriptor: object): protobuf.ReflectionObject {
    const name = names.at(-1) ?? '';
    const parent = this.define(names.slice(0, -1));
    const known = parent.get(name);
    if (known !== null) return known;
    if ('values' in descriptor) {
      const made = protobuf.Enum.fromJSON(name, descriptor as protobuf.IEnum);
      parent.add(made);
      return made;
    }
    const made = protobuf.Type.fromJSON(name, descriptor as protobuf.IType);
    parent.add(made);
    resolveBeforeUse(made, made);
    return made;
  }
}

/** Lets the library set a message up with the types of its fields, which it expects to be resolved by then. */
function resolveBeforeUse(type: protobuf.Type, outermost: protobuf.Type): void {
  type.setup = () => {
    outermost.resolveAll();
    return protobuf.Type.prototype.setup.call(type);
  };
  for (const nested of type.nestedArray) {
    if (nested instanceof protobuf.Type) resolveBeforeUse(nested, outermost);
  }
}
