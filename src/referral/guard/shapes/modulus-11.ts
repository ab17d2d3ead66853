// The check digit shared by the three ten-digit health numbers of the United Kingdom. It breaks ties; it never excuses.

/** Weights 10 to 2 on the first nine digits; 11 minus the sum modulo 11 is the tenth, 11 counting as 0. */
export function hasModulus11CheckDigit(digits: string): boolean {
  if (!/^\d{10}$/.test(digits)) return false
  let sum = 0
  for (let index = 0; index < 9; index += 1) sum += Number(digits.charAt(index)) * (10 - index)
  return (11 - (sum % 11)) % 11 === Number(digits.charAt(9))
}
