interface User {
  name: string;
  avatar?: { url: string; width: number };
}

const FALLBACK = '/img/nobody.svg';

export function avatarUrl(user: User): string {
  return user.avatar.url ?? FALLBACK;
}

export const initials = (user: User): string =>
  user.name
    .split(' ')
    .map((part) => part[0])
    .join('')
    .toUpperCase();
