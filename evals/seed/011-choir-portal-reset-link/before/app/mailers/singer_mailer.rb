# frozen_string_literal: true

class SingerMailer < ApplicationMailer
  def invitation(singer)
    @singer = singer
    @secret = AccessToken.issue(singer, :invitation)
    mail(to: singer.email, subject: "Sing with us")
  end

  def password_reset(singer)
    @singer = singer
    @secret = AccessToken.issue(singer, :password_reset)
    mail(to: singer.email, subject: "Your new password")
  end
end
