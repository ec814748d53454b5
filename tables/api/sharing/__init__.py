"""REST API of sharing: `views` and `serializers` of members, invitations and the link for reading."""
