import type { MeshConfig } from '../config/mesh/mesh-config.js';

/**
 * Remembers results by the identity of the objects they were made from (an unchanged service keeps its
 * identity from snapshot to snapshot) and by a key that names all further inputs. Entries go with their objects.
 */
export interface IdentityMemo<Value> {
  /**
   * @param subject the object the value is about; the mesh config itself when there is no other
   * @param key every other input of `build`
   */
  remember(mesh: MeshConfig, subject: object, key: string, build: () => Value): Value;
}

export function createIdentityMemo<Value>(): IdentityMemo<Value> {
  const byMesh = new WeakMap<MeshConfig, WeakMap<object, Map<string, Value>>>();
  return {
    remember: (mesh, subject, key, build) => {
      let bySubject = byMesh.get(mesh);
      if (bySubject === undefined) {
        bySubject = new WeakMap();
        byMesh.set(mesh, bySubject);
      }
      let byKey = bySubject.get(subject);
      if (byKey === undefined) {
        byKey = new Map();
        bySubject.set(subject, byKey);
      }
      const known = byKey.get(key);
      if (known !== undefined) return known;
      const value = build();
      byKey.set(key, value);
      return value;
    },
  };
}
