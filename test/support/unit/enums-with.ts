/** Every `enum` of a JSON schema, however deep, that has this value. */
export function enumsWith(schema: unknown, value: string): unknown[][] {
  if (typeof schema !== 'object' || schema === null) return []
  return Object.entries(schema).flatMap(([name, member]: [string, unknown]) =>
    name === 'enum' && Array.isArray(member) && member.includes(value) ? [member] : enumsWith(member, value),
  )
}
