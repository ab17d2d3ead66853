// The unit of money in storage: whole micro-euro, a millionth of a euro, because fractions of a float do not add up.

const MICROEUR_PER_EUR = 1_000_000

export const toEur = (microeur: number): number => microeur / MICROEUR_PER_EUR

/** Rounds to whole micro-euro. */
export const toMicroeur = (eur: number): number => Math.round(eur * MICROEUR_PER_EUR)
