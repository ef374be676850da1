"""The client packages in `clients/`, with the SDKs and frameworks that they are for, against the running program."""
