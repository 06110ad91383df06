<?php

namespace App\Models;

use Illuminate\Database\Eloquent\Model;

class Customer extends Model
{
    protected $fillable = [
        'name',
        'email',
        'phone',
        'city',
    ];

    protected $casts = [
        'newsletter' => 'boolean',
        'born_on' => 'date',
    ];

    public function orders()
    {
        return $this->hasMany(Order::class);
    }
}
