/** Default of the mesh domain, the suffix of API groups, labels and annotations. MESH_DOMAIN changes it at run time. */
export const DEFAULT_MESH_DOMAIN = 'mesh.internal';
