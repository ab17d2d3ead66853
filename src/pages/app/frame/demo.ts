// Whether all that is known of an organisation is invented: its id then is a UUID of version 8.

const VERSION_PLACE = 'org_xxxxxxxx-xxxx-'.length

export const isDemoOrganisation = (id: string): boolean => id[VERSION_PLACE] === '8'
