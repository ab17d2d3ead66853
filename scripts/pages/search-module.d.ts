// Type of the module that search-index.ts makes at the build.
declare module 'virtual:search-index' {
  /** The path of the search file. */
  export const ADDRESS: string
}
