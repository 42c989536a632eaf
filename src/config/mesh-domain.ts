/** The mesh domain `D` of API groups, labels and annotations (DESIGN section 2); MESH_DOMAIN changes it at run time. */
export const DEFAULT_MESH_DOMAIN = 'mesh.internal';
