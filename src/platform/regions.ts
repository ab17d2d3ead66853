// Where the platform can be asked to put an object: its location hints.

export const REGIONS = ['weur', 'eeur', 'wnam', 'enam', 'sam', 'apac', 'oc', 'afr', 'me'] as const
export type Region = (typeof REGIONS)[number]

/** Those within the European Union, the first where nothing else is asked for. */
export const EUROPEAN_REGIONS = ['weur', 'eeur'] as const satisfies readonly Region[]
