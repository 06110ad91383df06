"""Signing in, with a lock after too many wrong passwords."""

import messages

MAX_TRIES = 5
MAX_AGE_DAYS = 180


class Account:
    def __init__(self, name, password, changed_day=0):
        self.name = name
        self.password = password
        self.changed_day = changed_day
        self.failures = 0

    @property
    def locked(self):
        return self.failures >= MAX_TRIES


class Gate:
    def __init__(self, accounts):
        self.accounts = {account.name: account for account in accounts}

    def sign_in(self, name, password, today):
        """Returns the outcome and the text to show."""
        account = self.accounts.get(name)
        if account is None:
            return messages.UNKNOWN, messages.text_for(messages.UNKNOWN)
        if account.locked:
            return messages.LOCKED, messages.text_for(messages.LOCKED)
        if password != account.password:
            account.failures += 1
            left = MAX_TRIES - account.failures
            return messages.WRONG, messages.text_for(messages.WRONG, left)
        account.failures = 0
        if today - account.changed_day > MAX_AGE_DAYS:
            return messages.EXPIRED, messages.text_for(messages.EXPIRED)
        return messages.OK, messages.text_for(messages.OK)
