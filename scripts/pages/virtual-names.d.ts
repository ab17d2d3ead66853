// The modules that name-modules.ts makes.
declare module 'virtual:failure-causes' {
  const words: Readonly<Record<string, string>>
  export default words
}

declare module 'virtual:model-names' {
  const names: readonly string[]
  export default names
}

declare module 'virtual:provider-labels' {
  const labels: Readonly<Record<string, string>>
  export default labels
}

declare module 'virtual:rule-names' {
  const names: {
    rules: Readonly<Record<string, string>>
    /** The ids of the rules that may stop a call. */
    stopping: readonly string[]
    reasons: Readonly<Record<string, string>>
  }
  export default names
}

declare module 'virtual:shape-words' {
  /** Group by group. `group` is a heading. */
  const words: readonly { readonly id: string; readonly group: string; readonly name: string }[]
  export default words
}

declare module 'virtual:simulated-rules' {
  const ids: readonly string[]
  export default ids
}
