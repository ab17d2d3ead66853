// The unit of money in storage: whole micro-euro, a millionth of a euro, because fractions of a float do not add up.

/** The decimals that an amount in euro can have. */
export const MONEY_DECIMALS = 6

const MICROEUR_PER_EUR = 10 ** MONEY_DECIMALS

export function toEur(microeur: number): number
export function toEur(microeur: number | null): number | null
export function toEur(microeur: number | null): number | null {
  return microeur === null ? null : microeur / MICROEUR_PER_EUR
}

/** Rounds to whole micro-euro. Null stays null. */
export function toMicroeur(eur: number): number
export function toMicroeur(eur: number | null): number | null
export function toMicroeur(eur: number | null): number | null {
  return eur === null ? null : Math.round(eur * MICROEUR_PER_EUR)
}
