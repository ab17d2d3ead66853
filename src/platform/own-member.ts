/** Returns the record's own member of this name, or undefined. Inherited members, such as `constructor`, do not count. */
export const ownMember = <T>(record: Readonly<Record<string, T>> | undefined, name: string | null): T | undefined =>
  record !== undefined && name !== null && Object.hasOwn(record, name) ? record[name] : undefined
