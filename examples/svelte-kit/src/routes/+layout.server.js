/** What all pages may show of the user. It is part of the HTML, so no token belongs here. */
export const load = ({ locals }) => ({ email: locals.user?.email ?? null });
